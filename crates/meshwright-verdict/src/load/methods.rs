//! The methods for a divisible load, one table of all.

use meshwright_load::shares::schedulers;

/// A way to divide a load.
#[derive(Clone, Copy)]
pub struct Method {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one sentence without its subject.
    pub about: &'static str,
    /// What it is.
    pub kind: Kind,
}

/// What a method is.
#[derive(Clone, Copy)]
pub enum Kind {
    /// The thesis, for one source.
    FlowMatrix,
    /// The thesis, for several sources.
    Scheduler(&'static schedulers::Scheduler),
    /// No message at all.
    Local,
    /// The same for everybody.
    Equal,
    /// One message for each processor.
    Serial,
    /// Messages one can send.
    Installments,
    /// The fluid optimum.
    Optimum,
}

/// Every method.
///
/// # Examples
///
/// ```
/// use meshwright_verdict::load::METHODS;
/// assert!(METHODS.iter().any(|method| method.name == "optimum"));
/// ```
pub const METHODS: &[Method] = &[
    Method {
        name: "flow-matrix",
        about: "Zhang 2018 for one source: all nodes stop together, each layer waits for the one before",
        kind: Kind::FlowMatrix,
    },
    scheduler(0),
    scheduler(1),
    scheduler(2),
    scheduler(3),
    scheduler(4),
    scheduler(5),
    scheduler(6),
    Method { name: "local", about: "all the load stays where it enters", kind: Kind::Local },
    Method {
        name: "equal",
        about: "every processor gets the same share, in one message for each",
        kind: Kind::Equal,
    },
    Method {
        name: "serial",
        about: "one message for each processor that is worth one, one after the other",
        kind: Kind::Serial,
    },
    Method {
        name: "installments",
        about: "sends the optimum in messages of its own, over one link each",
        kind: Kind::Installments,
    },
    Method {
        name: "optimum",
        about: "the least makespan on links that are shared, with its certificate",
        kind: Kind::Optimum,
    },
];

const _: () = assert!(METHODS.len() == schedulers::METHODS.len() + 6, "every scheduler is in the table");

const fn scheduler(index: usize) -> Method {
    let method = &schedulers::METHODS[index];
    Method { name: method.name, about: method.about, kind: Kind::Scheduler(method) }
}

/// The method with this name, if there is one.
pub(super) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

impl Kind {
    /// Whether it takes part unasked when the load enters at this many sources, messages have a start-up or not, and the
    /// machine does less at a time than that of the optimum.
    pub(super) fn suits(self, sources: usize, has_startup: bool, is_limited: bool) -> bool {
        match self {
            Self::FlowMatrix => sources == 1,
            Self::Scheduler(_) => sources > 1,
            // Without start-ups installments are never slower, where they can be sent.
            Self::Local | Self::Equal | Self::Serial => has_startup || is_limited,
            Self::Installments | Self::Optimum => true,
        }
    }
}
