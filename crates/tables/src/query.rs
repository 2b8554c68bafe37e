//! What is asked of a recording: a table, some of its columns, some of its rows.

use fragreel::model::{Clock, EntityKind, EntityKinds, Fields, FrameOptions, Milliseconds};

use crate::column::Value;
use crate::condition::{Condition, Operand, Operator};
use crate::declared::{self, entities, frames, positions};
use crate::query_error::QueryError;
use crate::schema::Table;

/// A table, the columns wanted, and the rows wanted.
///
/// ```
/// use fragreel_tables::Query;
///
/// let query = Query::of("kills")?.columns(["time", "attacker", "victim"])?.filter("means = MOD_ROCKET")?;
/// assert_eq!(query.names(), ["time", "attacker", "victim"]);
/// assert!(Query::of("frags").unwrap_err().to_string().contains("the tables are recordings, levels"));
/// # Ok::<(), fragreel_tables::QueryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) table: &'static Table,
    /// In the order wanted.
    pub(crate) columns: Vec<usize>,
    pub(crate) conditions: Vec<Condition>,
    /// Frames a second, at most.
    pub(crate) rate: Option<f64>,
    /// Whether frames may be walked over for columns of other tables.
    pub(crate) with_frames: bool,
}

impl Query {
    /// All of a table.
    pub fn new(table: &'static Table) -> Self {
        Query { table, columns: (0..table.columns.len()).collect(), conditions: Vec::new(), rate: None, with_frames: true }
    }

    /// All of the table of that name.
    ///
    /// # Errors
    /// [`QueryError::Table`]
    pub fn of(table: &str) -> Result<Self, QueryError> {
        declared::table(table).map(Self::new).ok_or_else(|| QueryError::Table(table.to_owned()))
    }

    /// Only these columns, in this order.
    ///
    /// # Errors
    /// [`QueryError::Column`]
    pub fn columns<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Result<Self, QueryError> {
        self.columns = names.into_iter().map(|name| self.column(name.as_ref())).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Only rows for which the condition holds, such as `weapon = railgun`; called several times, all must hold.
    ///
    /// # Errors
    /// [`QueryError::Condition`], [`QueryError::Column`], [`QueryError::Operand`]
    pub fn filter(mut self, condition: &str) -> Result<Self, QueryError> {
        let condition = Condition::read(self.table, condition)?;
        self.conditions.push(condition);
        Ok(self)
    }

    /// Only rows for which the condition holds.
    #[must_use]
    pub fn only(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// At most this number of frames a second in tables of frames.
    #[must_use]
    pub fn hz(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Leaves columns null that need a walk over the frames besides: circumstances of kills, and figures of `scores` that only
    /// frames show. `moments` then lacks air shots and flicks.
    #[must_use]
    pub fn without_frames(mut self) -> Self {
        self.with_frames = false;
        self
    }

    /// `CREATE TABLE` in the SQL of SQLite, with the columns wanted.
    pub fn create(&self) -> String {
        let columns = self.columns.iter().map(|&at| &self.table.columns[at]);
        let columns: Vec<String> = columns.map(|column| format!("  \"{}\" {}", column.name, column.kind.sql())).collect();
        format!("CREATE TABLE \"{}\" (\n{}\n)", self.table.name, columns.join(",\n"))
    }

    /// The table.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The names of the columns wanted.
    pub fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|&column| self.table.columns[column].name).collect()
    }

    /// The places of the columns wanted.
    pub fn places(&self) -> &[usize] {
        &self.columns
    }

    fn column(&self, name: &str) -> Result<usize, QueryError> {
        self.table.column(name).ok_or_else(|| QueryError::Column { table: self.table.name, column: name.to_owned() })
    }

    /// Which columns must be made: those wanted and those that rows are chosen by.
    pub(crate) fn made(&self) -> Vec<bool> {
        let mut made = vec![false; self.table.columns.len()];
        self.columns.iter().copied().chain(self.conditions.iter().map(Condition::column)).for_each(|column| made[column] = true);
        made
    }

    /// What of frames must be decoded.
    pub(crate) fn frame_options(&self) -> FrameOptions {
        let mut options = FrameOptions { fields: self.fields(), entities: self.entity_kinds(), rate: self.rate, ..FrameOptions::default() }.players_only();
        for condition in &self.conditions {
            let bound = match condition.operand() {
                Operand::Number(value) if value.abs() < 1e15 => *value,
                _ => continue,
            };
            let clock = match self.table.columns[condition.column()].name {
                "time" => Clock::Demo,
                "server_time" => Clock::Server,
                _ => continue,
            };
            // A walk has one clock.
            if options.clock != clock && (options.from.is_some() || options.to.is_some()) {
                continue;
            }
            options.clock = clock;
            let (low, high) = (Milliseconds(bound.floor() as i64), Milliseconds(bound.ceil() as i64));
            if matches!(condition.operator(), Operator::Equal | Operator::Greater | Operator::GreaterOrEqual) {
                options.from = Some(options.from.map_or(low, |from| from.max(low)));
            }
            if matches!(condition.operator(), Operator::Equal | Operator::Less | Operator::LessOrEqual) {
                options.to = Some(options.to.map_or(high, |to| to.min(high)));
            }
        }
        options
    }

    fn fields(&self) -> Fields {
        let made = self.made();
        let any = |places: &[usize], field: Fields| if places.iter().any(|&place| made[place]) { field } else { Fields::NONE };
        match self.table.name {
            "frames" => any(&(frames::view_slot..=frames::teleported).collect::<Vec<_>>(), Fields::VIEW) | any(&[frames::in_view], Fields::ORIGIN),
            "positions" => [
                any(&[positions::x, positions::y, positions::z, positions::entity, positions::teleported], Fields::ORIGIN),
                any(&[positions::vx, positions::vy, positions::vz], Fields::VELOCITY),
                any(&[positions::pitch, positions::yaw, positions::roll], Fields::ANGLES),
                any(&[positions::health, positions::alive], Fields::HEALTH),
                any(&[positions::armor], Fields::ARMOR),
                any(&[positions::weapon, positions::weapon_own], Fields::WEAPON),
                any(&[positions::ammo], Fields::AMMO),
                any(&[positions::powerups], Fields::POWERUPS),
                any(&[positions::items], Fields::ITEMS),
                any(&[positions::on_ground, positions::crouching], Fields::STANCE),
                any(&[positions::ping, positions::score], Fields::SCORE),
                any(&[positions::is_view], Fields::VIEW),
            ]
            .into_iter()
            .collect(),
            "entities" => [
                any(&[entities::x, entities::y, entities::z, entities::teleported], Fields::ORIGIN),
                any(&[entities::vx, entities::vy, entities::vz], Fields::VELOCITY),
                any(&[entities::pitch, entities::yaw, entities::roll], Fields::ANGLES),
                any(&[entities::item, entities::item_own], Fields::ITEMS | Fields::MODEL),
                any(&[entities::model], Fields::MODEL),
            ]
            .into_iter()
            .collect(),
            _ => Fields::NONE,
        }
    }

    fn entity_kinds(&self) -> EntityKinds {
        if self.table.name != "entities" {
            return EntityKinds::NONE;
        }
        let wanted = |kind: &EntityKind| {
            let of_kind = |condition: &&Condition| condition.column() == entities::kind;
            *kind != EntityKind::Player && self.conditions.iter().filter(of_kind).all(|condition| condition.holds(Value::Text(kind.name())))
        };
        EntityKind::ALL.into_iter().filter(wanted).map(EntityKinds::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_and_columns_reach_the_decoder() {
        let query = Query::of("positions").unwrap().columns(["name", "x"]).unwrap().filter("time >= 5000").unwrap().filter("time < 6000.5").unwrap();
        let options = query.frame_options();
        assert_eq!((options.fields, options.from, options.to), (Fields::ORIGIN, Some(Milliseconds(5000)), Some(Milliseconds(6001))));
        let query = Query::of("entities").unwrap().columns(["entity"]).unwrap().filter("kind in missile, item").unwrap();
        assert_eq!((query.frame_options().entities, query.frame_options().fields), (EntityKinds::MISSILE | EntityKinds::ITEM, Fields::NONE));
        let query = Query::of("positions").unwrap().columns(["x"]).unwrap().filter("health > 50").unwrap();
        assert!(query.frame_options().fields.has(Fields::HEALTH), "what rows are chosen by is made too");
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        let kills = || Query::of("kills").unwrap();
        for (error, word) in [
            (Query::of("kill").unwrap_err(), "the tables are recordings, levels"),
            (kills().columns(["killer"]).unwrap_err(), "table `kills` has no column `killer`; it has recording, family"),
            (kills().filter("killer = x").unwrap_err(), "no column `killer`"),
            (kills().filter("time = soon").unwrap_err(), "`soon` is not of type int64"),
            (kills().filter("time").unwrap_err(), "write COLUMN OPERATOR VALUE"),
        ] {
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
