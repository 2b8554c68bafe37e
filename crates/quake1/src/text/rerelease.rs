//! Messages of the 2021 re-release.

use fragreel_base::delta::FieldSet;
use fragreel_base::textform::{Form, Leaf, Names};

use crate::message::{LevelCompleted, Prompt, ServerVars, Strings, Text, Uleb};
use crate::text::rules::Rules;
use crate::text::value::{AsText, elements, field};

impl AsText for Strings {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("texts")?;
            elements(f, &mut self.texts, 0xffff, "more than 65535 texts", |f, text| text.form(f, r))
        })
    }
}

impl AsText for ServerVars {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        let names = Names::new(Self::FIELDS.map(|(name, _)| name));
        f.object(|f| {
            let mut present = if F::READING { 0 } else { self.mask.value };
            f.members(&names, FieldSet(present).into_iter(), |f, at| {
                if F::READING {
                    present |= 1 << at;
                }
                let value = &mut self.values[at];
                *value = if Self::FIELDS[at].1 { f.int(i64::from(*value), 0, 255)? as u32 } else { f.float(f32::from_bits(*value))?.to_bits() };
                Ok(())
            })?;
            let mut padding = self.mask.padding;
            f.unless("padding", &mut padding, 0)?;
            f.insist(padding < 8, "expected at most seven needless bytes")?;
            self.mask = Uleb { value: present, padding };
            Ok(())
        })
    }
}

impl AsText for Prompt {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            let asked = f.key("question", !self.answers.is_empty())?;
            if asked {
                self.question.form(f, r)?;
            } else if F::READING {
                self.question = Text::default();
            }
            f.require("answers")?;
            elements(f, &mut self.answers, 255, "more than 255 answers", |f, (answer, impulse)| {
                f.object(|f| {
                    field(f, "answer", answer, r)?;
                    field(f, "impulse", impulse, r)
                })
            })?;
            f.insist(asked != self.answers.is_empty(), "a question has answers, and what takes one back has neither")
        })
    }
}

impl AsText for LevelCompleted {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("unknown")?;
            Leaf::form(&mut self.unknown, f)?;
            field(f, "name", &mut self.name, r)
        })
    }
}
