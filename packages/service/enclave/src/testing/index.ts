export { createSimulatedNitro, pcrsOf, type SimulatedNitro } from "./simulated-nitro.ts"
