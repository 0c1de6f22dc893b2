//! What few messages can bring to a node: it waits for the first until that is whole, and works off the last when that is there.

/// More messages than this are not told apart.
pub(super) const COUNTS_MAX: usize = 6;

/// So many messages are enough to tell how late the first ones come.
const MOMENTS_MAX: usize = 60;

/// What is lost by rounding.
const ROUNDING: f64 = 1e-9;

/// The most load y that a message can bring if `left` is the time from the end of its start-up to the end of all, its link takes z and the
/// node at its end w for the whole load, and the links out of there z_o: it is in whole after z y, and then
///
/// ```text
/// y <= (left - z y) / w + sum over o of max(0, left - z y - startup) / z_o
/// ```
pub(super) fn largest(left: f64, link: f64, work: f64, (startup, outgoing): (f64, &[f64])) -> f64 {
    let left = left.max(0.0);
    if outgoing.contains(&0.0) || work == 0.0 {
        return f64::INFINITY;
    }
    let worked = (left / work) / (1.0 + link / work);
    // As late as that nothing can be sent on.
    if left - link * worked <= startup {
        return worked;
    }
    let rate: f64 = outgoing.iter().map(|time| 1.0 / time).sum();
    (left / work + (left - startup) * rate) / (1.0 + link / work + link * rate)
}

/// How messages come to one node without load of its own.
pub(super) struct Incoming<'a> {
    /// For each link into the node, when its first message can begin.
    pub(super) begins: &'a [f64],
    /// The least time of the whole load on one of these links.
    pub(super) link: f64,
    /// The time of the whole load on the node's processor.
    pub(super) work: f64,
    pub(super) startup: f64,
    /// When the node must be ready.
    pub(super) end: f64,
}

/// How many messages can pass a link, whole, from one moment to another.
pub(super) fn whole(begin: f64, end: f64, startup: f64) -> f64 {
    ((end - begin).max(0.0) / startup + ROUNDING).floor()
}

impl Incoming<'_> {
    /// Lines `share <= at + rise * messages` that hold whatever comes, as pairs (at, rise).
    ///
    /// ```text
    /// w S_j <= T - a_j,   a_j >= t_j,   a_j >= b + l + z y_j      S_j = y_j + .. + y_n
    /// ```
    ///
    /// The j-th message to arrive, at a_j, is in whole not before the j-th of all moments b_i + k l of the links i into the node,
    /// and not before its own y_j has crossed one of them. What comes with it and later, S_j, is worked off after it. So
    /// S_1, greatest where every S_j is, bounds what n messages bring; the lines are the upper hull of these numbers.
    ///
    /// # Complexity
    ///
    /// O(c^2 + c log c) for the c <= 6 counts that are told apart, times the links.
    pub(super) fn lines(&self) -> Vec<(f64, f64)> {
        let moments = self.moments();
        let most = |messages: usize| -> f64 {
            let first = moments.first().map_or(0.0, |first| (self.end - first).max(0.0));
            // After the last that is told apart there may be more.
            let last = moments.last().filter(|_| messages == MOMENTS_MAX);
            let after = last.map_or(0.0, |last| (self.end - last).max(0.0) / self.work);
            moments[..messages].iter().rev().fold(after, |later: f64, moment| {
                let alone = ((self.end - moment) / self.work).max(0.0);
                alone.min((first + self.link * later) / (self.work + self.link))
            })
        };
        let mut points: Vec<(f64, f64)> =
            (0..=moments.len().min(COUNTS_MAX)).map(|messages| (messages as f64, most(messages))).collect();
        if moments.len() > COUNTS_MAX {
            // However many.
            points.push(((COUNTS_MAX + 1) as f64, most(moments.len())));
        }
        hull(&points)
    }

    /// The first moments at which messages can be there.
    fn moments(&self) -> Vec<f64> {
        let of_link = |&begin: &f64| {
            let many = whole(begin, self.end, self.startup).min(MOMENTS_MAX as f64) as usize;
            (1..=many).map(move |count| begin + count as f64 * self.startup)
        };
        let mut moments: Vec<f64> = self.begins.iter().flat_map(of_link).collect();
        moments.sort_unstable_by(f64::total_cmp);
        moments.truncate(MOMENTS_MAX);
        moments
    }
}

/// The lines of the upper hull of points that rise, from left to right; the last is level. None above what is infinite.
pub(super) fn hull(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.iter().any(|point| !point.1.is_finite()) {
        return Vec::new();
    }
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let rise = |a: (f64, f64), b: (f64, f64)| (b.1 - a.1) / (b.0 - a.0);
    let mut highest = 0.0f64;
    for &(messages, share) in points {
        highest = highest.max(share);
        let point = (messages, highest);
        while kept.len() > 1
            && rise(kept[kept.len() - 2], kept[kept.len() - 1]) <= rise(kept[kept.len() - 1], point)
        {
            kept.pop();
        }
        kept.push(point);
    }
    let line = |pair: &[(f64, f64)]| {
        let rise = rise(pair[0], pair[1]);
        (pair[0].1 - rise * pair[0].0, rise)
    };
    kept.windows(2).map(line).filter(|line| line.1 > 0.0).chain([(highest, 0.0)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::rng;
    use rand::RngExt;

    /// One message: T - l - z y = w y. However many over one link: no more than what the processor has time for.
    #[test]
    fn one_message_is_worked_off_when_it_is_whole() {
        let incoming = Incoming { begins: &[0.0], link: 0.5, work: 1.0, startup: 0.1, end: 0.64 };
        let (at, rise) = incoming.lines()[0];
        assert!(at.abs() < 1e-12 && (rise - 0.36).abs() < 1e-12, "{at} {rise}");
        assert!(Incoming { end: 0.09, ..incoming }.lines() == [(0.0, 0.0)], "nothing is there in time");
    }

    /// A message of the largest size is worked off and sent on just in time, and a larger one is not.
    #[test]
    fn the_largest_message_is_done_in_time() {
        for seed in 0..500 {
            let mut random = rng::stream(seed, "largest");
            let mut draw = |from: f64, to: f64| 10f64.powf(random.random_range(from..to));
            let (left, startup, link, work) =
                (draw(-2.0, 0.0), draw(-2.0, 0.0), draw(-2.0, 0.5), draw(-0.5, 0.5));
            let outgoing: Vec<f64> = (0..seed % 4).map(|_| draw(-2.0, 0.5)).collect();
            let over = |size: f64| {
                let rest = left - link * size;
                let sent: f64 = outgoing.iter().map(|time| (rest - startup).max(0.0) / time).sum();
                size - rest / work - sent
            };
            let most = largest(left, link, work, (startup, &outgoing));
            assert!(over(most).abs() < 1e-9 && over(most * 1.001) > 0.0, "seed {seed}: {most}");
        }
        assert_eq!(
            largest(0.5, 0.1, f64::INFINITY, (0.6, &[0.1])),
            0.0,
            "who cannot work has no time to send it on"
        );
    }

    /// Messages at random over links at random: what is worked off lies below every line.
    #[test]
    fn no_messages_bring_more() {
        for seed in 0..2000 {
            let mut random = rng::stream(seed, "few");
            let links = random.random_range(1..=4);
            let begins: Vec<f64> = (0..links).map(|_| random.random_range(0.0..0.3)).collect();
            let startup = 10f64.powf(random.random_range(-1.5..-0.3));
            let (link, work, end) = (random.random_range(0.0..1.0), random.random_range(0.2..2.0), 1.0);
            let size = 10f64.powf(random.random_range(-2.0..0.0));
            // Each link sends until the time is over; what arrives is worked off in its order.
            let mut arrivals = Vec::new();
            for &begin in &begins {
                let mut at = begin;
                for _ in 0..random.random_range(0..6) {
                    let load = size * random.random_range(0.0..1.0);
                    at += startup + link * load;
                    arrivals.push((at, load));
                }
            }
            arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut free, mut done, mut messages) = (0.0f64, 0.0, 0.0);
            for (arrival, load) in arrivals {
                let part = ((end - free.max(arrival)) / work).clamp(0.0, load);
                if part > 0.0 {
                    (free, done, messages) = (free.max(arrival) + work * part, done + part, messages + 1.0);
                }
            }
            let incoming = Incoming { begins: &begins, link, work, startup, end };
            for (at, rise) in incoming.lines() {
                assert!(
                    done <= at + rise * messages + 1e-9,
                    "seed {seed}: {done} of {at} + {rise} * {messages}"
                );
            }
        }
    }
}
