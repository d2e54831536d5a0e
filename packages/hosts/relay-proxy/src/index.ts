/** Used by processes that serve relays on sockets. */
export { createRelayAuthority } from "./authority/relay-authority.ts"
export { createForwardProxy, FORWARD_PROXY_LIMITS } from "./forward/forward-proxy.ts"
export { RELAY_LIMITS } from "./limits.ts"
export { createRelayServer } from "./server/relay-server.ts"
export { createRelayServing } from "./serving.ts"
/** Used by processes that share this work. */
export { openParentPipe } from "./workers/parent-pipe.ts"
export { serveAsWorker, type WorkerService } from "./workers/serve-as-worker.ts"
export { listenForWorkers, type SharedListeners } from "./workers/shared-listeners.ts"
export { workerEnvironment } from "./workers/worker-environment.ts"
