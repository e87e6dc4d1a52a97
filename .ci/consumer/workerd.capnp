using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  bindings = [
    (name = "LANDING_PAGES_BASE_URL", fromEnvironment = "LANDING_PAGES_BASE_URL"),
    (name = "LANDING_PAGES_API_KEY", fromEnvironment = "LANDING_PAGES_API_KEY"),
  ],
);
