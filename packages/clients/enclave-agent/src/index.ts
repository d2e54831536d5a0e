export { type AgentConfiguration, parseAgentConfiguration } from "./configuration.ts"
export { type Agent, type AgentDependencies, type AgentOptions, createAgent } from "./create-agent.ts"
export { type AttestationRequest, createSecurityModule, type SecurityModule } from "./nsm/security-module.ts"
