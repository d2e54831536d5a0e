export { createEnclaveDependencies, type EnclaveDependencies } from "./dependencies.ts"
export { enclaveEndpoints } from "./endpoints/index.ts"
