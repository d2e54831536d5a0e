import { FunctionNetworkError } from "../errors.ts"
import { type ConfinementLevel, detectConfinement } from "./confinement/confinement.ts"
import type { ConfinedLevel } from "./confinement/launch-plan.ts"
import { openFunctionStore, type RuntimeFamily } from "./function-store.ts"
import { createLocalFunctionHost, type LocalFunctionHost } from "./local-function-host.ts"
import type { FunctionNetwork } from "./network/function-network.ts"
import { OUTSIDE, type Outside } from "./network/serve-network.ts"

export interface FunctionHostOptions {
  /** The folder for functions; null: a temporary folder, until it closes. */
  readonly folder: string | null
  /** Default: `python3`, looked up in PATH. */
  readonly pythonPath?: string
  /** The confinement levels to try, strongest first. Default: all. */
  readonly confinementLevels?: readonly ConfinedLevel[]
  /** Whether functions may run unconfined when this machine cannot confine them. Default: no. */
  readonly unconfinedFunctions?: boolean
  /**
   * What functions may connect to. Default: `public` where this machine can restrict it, otherwise `host`. A given one
   * is never widened.
   */
  readonly functionNetwork?: FunctionNetwork
  /** How functions leave their own networks. Default: `OUTSIDE`. */
  readonly outside?: Outside
  /** Epoch milliseconds. */
  readonly wallClock?: () => number
}

const ALL_LANGUAGES: readonly RuntimeFamily[] = ["node", "python"]

/** How functions run here. */
export interface FunctionIsolation {
  readonly confinement: ConfinementLevel
  /** What functions may connect to: all of them, if some run unconfined. */
  readonly network: FunctionNetwork
  /** The languages whose functions run. */
  readonly languages: readonly RuntimeFamily[]
}

export interface RunningFunctionHost {
  readonly host: LocalFunctionHost
  readonly isolation: FunctionIsolation
}

/**
 * Opens the functions of a folder, to be run as this machine can confine them.
 *
 * @throws FunctionNetworkError when the given network cannot be enforced here
 */
export async function startFunctionHost({
  folder,
  pythonPath = process.platform === "win32" ? "python" : "python3",
  confinementLevels,
  unconfinedFunctions = false,
  functionNetwork,
  outside = OUTSIDE,
  wallClock = Date.now,
}: FunctionHostOptions): Promise<RunningFunctionHost> {
  const confinement = await detectConfinement(confinementLevels, functionNetwork)
  const languages = unconfinedFunctions ? ALL_LANGUAGES : confinement.languages
  const network = languages.length === confinement.languages.length ? confinement.network : "host"
  if (functionNetwork !== undefined && languages.length > 0 && network !== functionNetwork)
    throw new FunctionNetworkError(functionNetwork, confinement.level)
  const store = await openFunctionStore(folder, confinement.owner)
  const host = createLocalFunctionHost({
    store,
    pythonPath,
    confinement,
    allowsUnconfined: unconfinedFunctions,
    outside,
    wallClock,
  })
  return { host, isolation: { confinement: confinement.level, network, languages: [...languages] } }
}
