//! Functions that SQLite lacks, for every query: roots and powers, medians and percentiles, regular expressions.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Error};

/// Functions of one number, and of two.
type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

/// Adds them to a connection. `docs/catalogue.md` lists them.
pub(crate) fn add(connection: &Connection) -> Result<(), Error> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let of_one: [(&str, OfOne); 6] =
        [("sqrt", f64::sqrt), ("exp", f64::exp), ("ln", f64::ln), ("log10", f64::log10), ("floor", f64::floor), ("ceil", f64::ceil)];
    for (name, function) in of_one {
        connection.create_scalar_function(name, 1, flags, move |context| Ok(context.get::<Option<f64>>(0)?.map(function).filter(|value| value.is_finite())))?;
    }
    let of_two: [(&str, OfTwo); 2] = [("power", f64::powf), ("hypot", f64::hypot)];
    for (name, function) in of_two {
        connection.create_scalar_function(name, 2, flags, move |context| {
            let values = context.get::<Option<f64>>(0)?.zip(context.get::<Option<f64>>(1)?);
            Ok(values.map(|(a, b)| function(a, b)).filter(|value| value.is_finite()))
        })?;
    }
    connection.create_aggregate_function("median", 1, flags, Percentile)?;
    connection.create_aggregate_function("percentile", 2, flags, Percentile)?;
    // `text REGEXP pattern` calls this with the pattern first.
    connection.create_scalar_function("regexp", 2, flags, |context| {
        let pattern = context
            .get_or_create_aux(0, |pattern| -> Result<regex::Regex, Box<dyn std::error::Error + Send + Sync>> { Ok(regex::Regex::new(pattern.as_str()?)?) })?;
        Ok(context.get::<Option<String>>(1)?.map(|text| pattern.is_match(&text)))
    })
}

/// Text by which names are found in any case, of any script.
pub(crate) fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// Adds `folded`, by which a catalogue is filled.
pub(crate) fn add_folded(connection: &Connection) -> Result<(), Error> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("folded", 1, flags, |context| Ok(context.get::<Option<String>>(0)?.map(|text| folded(&text))))
}

/// The percentile of the values, interpolated between two of them. Without a percentage, the median.
struct Percentile;

/// The values so far, and the share in per cent.
type Values = (Vec<f64>, f64);

impl Aggregate<Values, Option<f64>> for Percentile {
    fn init(&self, _: &mut Context<'_>) -> Result<Values, Error> {
        Ok((Vec::new(), 50.0))
    }

    fn step(&self, context: &mut Context<'_>, (values, share): &mut Values) -> Result<(), Error> {
        if context.len() > 1 {
            *share = context.get(1)?;
            if !(0.0..=100.0).contains(share) {
                return Err(Error::UserFunctionError("a percentile is from 0 to 100".into()));
            }
        }
        values.extend(context.get::<Option<f64>>(0)?);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, values: Option<Values>) -> Result<Option<f64>, Error> {
        let Some((mut values, share)) = values else { return Ok(None) };
        values.sort_by(f64::total_cmp);
        let Some(last) = values.len().checked_sub(1) else { return Ok(None) };
        let place = share / 100.0 * last as f64;
        let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
        Ok(Some(below + (above - below) * place.fract()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_give_what_they_are_called() {
        let connection = Connection::open_in_memory().unwrap();
        add(&connection).unwrap();
        let ask = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, Option<f64>>(0)).unwrap();
        assert_eq!(ask("SELECT sqrt(9) + hypot(3, 4) + power(2, 3)"), Some(16.0));
        assert_eq!((ask("SELECT sqrt(NULL)"), ask("SELECT sqrt(-1)")), (None, None));
        let of = "FROM (VALUES (1), (2), (NULL), (10), (4))";
        assert_eq!(ask(&format!("SELECT median(column1) {of}")), Some(3.0));
        assert_eq!(ask(&format!("SELECT percentile(column1, 100) + percentile(column1, 0) {of}")), Some(11.0));
        assert_eq!(ask("SELECT median(x) FROM (SELECT 1 AS x WHERE 0)"), None);
        assert_eq!(ask("SELECT ('Sarge' REGEXP '^[sS]ar') + ('Major' REGEXP '^[sS]ar') + ('x' REGEXP 'x|y')"), Some(2.0));
        assert!(connection.query_row("SELECT 'x' REGEXP '('", [], |row| row.get::<_, i64>(0)).is_err());
        assert!(connection.query_row(&format!("SELECT percentile(column1, 101) {of}"), [], |row| row.get::<_, f64>(0)).is_err());
    }
}
