//! Pure store-and-forward, hop by hop.

use meshwright_core::exact::Exact;
use meshwright_load::Forwarding;
use meshwright_load::shares::{closed_form, timing};

/// When the message of each layer has arrived, by moving every message over every link of a path: a link begins with
/// a message when it has whole arrived at its tail and the message before it has left.
fn arrivals(shares: &[Exact], sigma: &Exact) -> Vec<Exact> {
    let mut link_is_free = vec![Exact::zero(); shares.len()];
    let mut arrivals = vec![Exact::zero()];
    for (layer, share) in shares.iter().enumerate().skip(1) {
        let mut here = Exact::zero();
        for free in link_is_free.iter_mut().take(layer) {
            let begin = if here > *free { here } else { free.clone() };
            here = begin + share * sigma;
            *free = here.clone();
        }
        arrivals.push(here);
    }
    arrivals
}

#[test]
fn all_stop_together_when_messages_go_hop_by_hop() {
    let profiles: [&[u64]; 4] = [&[1, 2, 3, 2, 1], &[1, 1], &[1, 4, 8, 8, 4, 0, 3], &[3, 1, 9, 2]];
    for layers in profiles {
        for sigma in [(0, 1), (1, 100), (1, 3), (1, 1), (5, 2)].map(|(p, q)| Exact::fraction(p, q)) {
            let shares = closed_form::fractions(layers, &sigma, Forwarding::StoreAndForward);
            let total: Exact =
                layers.iter().zip(&shares).map(|(&nodes, share)| Exact::from(nodes) * share).sum();
            assert_eq!(total, Exact::whole(1));
            let arrivals = arrivals(&shares, &sigma);
            let rows = timing::timing(layers, &sigma, Forwarding::StoreAndForward);
            for ((share, arrival), row) in shares.iter().zip(&arrivals).zip(&rows) {
                assert_eq!(arrival + share, shares[0], "{layers:?} sigma {sigma}");
                assert_eq!(&row.computing[0], arrival, "{layers:?} sigma {sigma}");
            }
        }
    }
}

/// Waiting for whole messages at every hop costs; cutting through costs least only where little is sent.
#[test]
fn waiting_at_every_hop_is_never_faster_than_waiting_at_the_end() {
    for layers in [&[1, 2, 1][..], &[1, 4, 8, 8, 4], &[1, 10, 45, 120]] {
        for percent in 0..300 {
            let sigma = f64::from(percent) / 100.0;
            let speedup = |forwarding| closed_form::speedup(layers, &sigma, forwarding);
            let [pure, modified] =
                [Forwarding::StoreAndForward, Forwarding::ModifiedStoreAndForward].map(speedup);
            assert!(pure <= modified, "{layers:?} {sigma}: {pure} {modified}");
        }
    }
}
