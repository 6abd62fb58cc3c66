//! Times as phones write them: `05/01/2024, 10:31:22`, `1/5/24, 10:31 AM`.
//!
//! Owns the question which number is the day, which only all times of a file together can tell. Never guesses in
//! silence. Called by the readers of texts with a time in front of each message.

use super::builder::Builder;

/// A time whose date may be in any order.
pub(super) struct PhoneStamp {
    date: [u32; 3],
    /// Whether the date is written as phones in the United States do.
    american: bool,
    clock: String,
}

impl PhoneStamp {
    /// Reads one time.
    pub fn read(stamp: &str) -> Option<PhoneStamp> {
        let (written, clock) = stamp.split_once(", ").or_else(|| stamp.split_once(' '))?;
        let mut parts = written.split(['/', '.', '-']);
        let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let number_of = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 4);
        let date = [number_of(a)?, number_of(b)?, number_of(c)?];
        let american = c.len() == 2 && !a.starts_with('0') && stamp.ends_with(['M', 'm']);
        Some(PhoneStamp { date, american, clock: clock_24(clock)? })
    }

    /// The time in ISO spelling.
    pub fn iso(&self, order: Order) -> String {
        let [a, b, c] = self.date;
        let (year, month, day) = match order {
            Order::YearFirst => (a, b, c),
            Order::DayMonth => (c, b, a),
            Order::MonthDay => (c, a, b),
        };
        let year = if year < 100 { year + 2000 } else { year };
        format!("{year:04}-{month:02}-{day:02}T{}", self.clock)
    }
}

/// `9:02:05 PM` as `21:02:05`.
fn clock_24(written: &str) -> Option<String> {
    let plain = written.replace(['\u{202f}', '\u{a0}'], " ");
    let lower = plain.trim().to_lowercase().replace('.', "");
    let (digits, afternoon) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(digits), _) => (digits.trim(), Some(false)),
        (_, Some(digits)) => (digits.trim(), Some(true)),
        _ => (lower.as_str(), None),
    };
    let mut parts = digits.split(':').map(|part| part.parse::<u32>().ok().filter(|_| part.len() <= 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    let hour = match afternoon {
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
        None => hour,
    };
    (parts.next().is_none() && hour < 24 && minute < 60 && second < 60)
        .then(|| format!("{hour:02}:{minute:02}:{second:02}"))
}

/// Which of the numbers of a date is what.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    DayMonth,
    MonthDay,
    YearFirst,
}

impl Order {
    /// The order that these times prove, else the likelier one, which is noted.
    pub fn of<'a>(stamps: impl Iterator<Item = &'a PhoneStamp> + Clone, builder: &mut Builder) -> Order {
        let any = |place: usize, limit: u32| {
            stamps.clone().any(|stamp| stamp.date.get(place).is_some_and(|number| *number > limit))
        };
        if any(0, 31) {
            return Order::YearFirst;
        }
        if any(0, 12) {
            return Order::DayMonth;
        }
        if any(1, 12) {
            return Order::MonthDay;
        }
        let (order, read_as) = match stamps.clone().any(|stamp| stamp.american) {
            true => (Order::MonthDay, "month/day"),
            false => (Order::DayMonth, "day/month"),
        };
        builder.note("ambiguous_date_order", format!("read as {read_as}"));
        order
    }
}
