declare module "dynalite" {
  import type { Server } from "node:http"

  /** Creates a server that closes its database when it is closed. */
  function dynalite(options: {
    /** Default: in memory. */
    readonly path?: string
    readonly createTableMs: number
    readonly deleteTableMs: number
    readonly updateTableMs: number
  }): Server
  export = dynalite
}
