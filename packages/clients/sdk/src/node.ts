export { createForwardProxyAgent, type ForwardProxyOptions } from "./relay/forward-proxy-agent.ts"
