//! The embedded distiller: selects and groups sentences, with no key and no network.
