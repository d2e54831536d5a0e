export type { VaultDependencies } from "./dependencies.ts"
export { vaultEndpoints } from "./endpoints/index.ts"
