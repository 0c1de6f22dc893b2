//! Phases along one axis: what one line does, all lines do.

use super::LogicalMesh;

/// A message between two members of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineMessage {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// How much.
    pub bytes: u64,
}

/// What one line does between two barriers, so often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// By sender.
    pub messages: Vec<LineMessage>,
    /// How often.
    pub times: u32,
}

/// A phase in which all lines of one axis do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePhase {
    /// The axis.
    pub axis: usize,
    /// What one of its lines does.
    pub step: Step,
}

impl LinePhase {
    /// Calls with sender, receiver and bytes of every message of all lines, by sender.
    pub(super) fn for_each(&self, mesh: &LogicalMesh, mut call: impl FnMut(u32, u32, u64)) {
        let (size, stride) = (mesh.axes[self.axis].size, mesh.stride(self.axis));
        let messages = &self.step.messages;
        // Where the messages of each member begin.
        let first: Vec<usize> =
            (0..=size).map(|member| messages.partition_point(|message| message.from < member)).collect();
        for task in 0..mesh.tasks() {
            let member = task / stride % size;
            let zero = task - member * stride;
            for message in &messages[first[member as usize]..first[member as usize + 1]] {
                call(task, zero + message.to * stride, message.bytes);
            }
        }
    }
}
