//! Conditions on a column.

use std::cmp::Ordering;

use crate::column::Value;
use crate::query_error::QueryError;
use crate::schema::{Table, Type};

/// How a column is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// `%` stands for any part of a text, `_` for one character; case does not matter.
    Like,
    In,
    IsNull,
    IsNotNull,
}

/// What a column is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// Nothing.
    None,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// One of several.
    Any(Vec<Operand>),
}

/// A condition on a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    column: usize,
    operator: Operator,
    operand: Operand,
}

impl Condition {
    /// A condition on the column of that name.
    ///
    /// # Errors
    /// [`QueryError::Column`]
    pub fn new(table: &'static Table, column: &str, operator: Operator, operand: Operand) -> Result<Self, QueryError> {
        let place = table.column(column).ok_or_else(|| QueryError::Column { table: table.name, column: column.to_owned() })?;
        Ok(Condition { column: place, operator, operand })
    }

    /// Reads `weapon = railgun` and the like.
    pub(crate) fn read(table: &'static Table, text: &str) -> Result<Self, QueryError> {
        let wrong = || QueryError::Condition(text.to_owned());
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').ok_or_else(wrong)?;
        let (column, rest) = (&trimmed[..end], trimmed[end..].trim_start());
        let place = table.column(column).ok_or_else(|| QueryError::Column { table: table.name, column: column.to_owned() })?;
        let lower = rest.to_ascii_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        match words[..] {
            ["is", "null"] => return Ok(Condition { column: place, operator: Operator::IsNull, operand: Operand::None }),
            ["is", "not", "null"] => return Ok(Condition { column: place, operator: Operator::IsNotNull, operand: Operand::None }),
            _ => {}
        }
        let signs = [
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("!=", Operator::NotEqual),
            ("<>", Operator::NotEqual),
            ("==", Operator::Equal),
            ("=", Operator::Equal),
            ("<", Operator::Less),
            (">", Operator::Greater),
            ("like ", Operator::Like),
            ("in ", Operator::In),
            ("in(", Operator::In),
        ];
        let (sign, operator) = signs.into_iter().find(|(sign, _)| lower.starts_with(sign)).ok_or_else(wrong)?;
        let written = rest[sign.trim_end_matches('(').len()..].trim();
        let kind = table.columns[place].kind;
        let operand = |written: &str| operand(column, kind, written.trim());
        let operand = match operator {
            Operator::In => {
                let list = written.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(written);
                Operand::Any(list.split(',').map(operand).collect::<Result<_, _>>()?)
            }
            Operator::Like if kind != Type::Text => return Err(wrong()),
            _ => operand(written)?,
        };
        Ok(Condition { column: place, operator, operand })
    }

    /// The place of the column.
    pub fn column(&self) -> usize {
        self.column
    }

    /// How it is compared.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// What with.
    pub fn operand(&self) -> &Operand {
        &self.operand
    }

    /// Whether it holds of a value. Of a missing one only [`Operator::IsNull`] does, as in SQL.
    pub fn holds(&self, value: Value<'_>) -> bool {
        match self.operator {
            Operator::IsNull => value == Value::Null,
            Operator::IsNotNull => value != Value::Null,
            Operator::Like => match (value, &self.operand) {
                (Value::Text(text), Operand::Text(pattern)) => like(&lower(pattern), &lower(text)),
                _ => false,
            },
            Operator::In => match &self.operand {
                Operand::Any(any) => any.iter().any(|one| compare(value, one) == Some(Ordering::Equal)),
                _ => false,
            },
            operator => compare(value, &self.operand).is_some_and(|order| match operator {
                Operator::Equal => order.is_eq(),
                Operator::NotEqual => order.is_ne(),
                Operator::Less => order.is_lt(),
                Operator::LessOrEqual => order.is_le(),
                Operator::Greater => order.is_gt(),
                _ => order.is_ge(),
            }),
        }
    }
}

fn operand(column: &str, kind: Type, written: &str) -> Result<Operand, QueryError> {
    let quoted = ['\'', '"'].into_iter().find_map(|quote| written.strip_prefix(quote)?.strip_suffix(quote));
    let text = quoted.unwrap_or(written);
    let wrong = || QueryError::Operand { column: column.to_owned(), text: text.to_owned(), kind };
    match kind {
        Type::Text => Ok(Operand::Text(text.to_owned())),
        Type::Bool => match text {
            "true" | "1" => Ok(Operand::Bool(true)),
            "false" | "0" => Ok(Operand::Bool(false)),
            _ => Err(wrong()),
        },
        _ => text.parse().ok().filter(|value: &f64| value.is_finite()).map(Operand::Number).ok_or_else(wrong),
    }
}

fn compare(value: Value<'_>, operand: &Operand) -> Option<Ordering> {
    match (value, operand) {
        (Value::Bool(value), Operand::Bool(with)) => Some(value.cmp(with)),
        (Value::Int(value), Operand::Number(with)) => (value as f64).partial_cmp(with),
        (Value::Real(value), Operand::Number(with)) => f64::from(value).partial_cmp(with),
        (Value::Double(value), Operand::Number(with)) => value.partial_cmp(with),
        (Value::Text(value), Operand::Text(with)) => Some(value.cmp(with.as_str())),
        _ => None,
    }
}

fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Goes back to the last `%` only, so that no pattern takes long.
fn like(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(from) {
            Some('%') => {
                star = Some((from, at));
                from += 1;
            }
            Some(&c) if c == '_' || c == text[at] => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((percent, tried)) = star else { return false };
                star = Some((percent, tried + 1));
                (from, at) = (percent + 1, tried + 1);
            }
        }
    }
    pattern[from..].iter().all(|&c| c == '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, value: Value<'_>) -> bool {
        Condition::read(crate::table("positions").unwrap(), condition).unwrap().holds(value)
    }

    #[test]
    fn conditions_hold_as_in_sql() {
        for (condition, value, expected) in [
            ("name = Sarge", Value::Text("Sarge"), true),
            ("name='Sarge'", Value::Text("sarge"), false),
            ("name like 'sar%'", Value::Text("Sarge"), true),
            ("name like %r_e", Value::Text("Sarge"), true),
            ("name like s%x%", Value::Text("sarge"), false),
            ("name != Sarge", Value::Null, false),
            ("name is null", Value::Null, true),
            ("name is not null", Value::Null, false),
            ("team in (red, 'blue')", Value::Text("blue"), true),
            ("team in red", Value::Text("blue"), false),
            ("health >= 100", Value::Int(100), true),
            ("health<100", Value::Int(100), false),
            ("x > -1.5", Value::Real(-1.0), true),
            ("alive = true", Value::Bool(true), true),
            ("alive = 0", Value::Bool(true), false),
        ] {
            assert_eq!(holds(condition, value), expected, "{condition}");
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        let pattern: String = "%a".repeat(5000);
        let condition = Condition::read(crate::table("chat").unwrap(), &format!("text like {pattern}b")).unwrap();
        assert!(!condition.holds(Value::Text(&"a".repeat(20_000))));
    }
}
