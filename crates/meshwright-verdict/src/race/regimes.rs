//! Who wins over bytes, start-ups and hop times.
