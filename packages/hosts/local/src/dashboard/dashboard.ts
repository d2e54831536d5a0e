import type { Platform } from "@sealway/http"
import { type DashboardFiles, readDashboardFiles } from "./dashboard-files.ts"
import { ensureBuilt } from "./ensure-built.ts"

export interface DashboardOptions {
  /** A folder with a built dashboard, as the container image has one. Null: it is built. */
  readonly builtFolder: string | null
  /** Where built versions are kept. Null: it cannot be built. */
  readonly buildFolder: string | null
  readonly log: Pick<Platform["log"], "error">
}

/** The dashboard, which is built when somebody first looks at it. */
export interface Dashboard {
  /** Begins to build it, unless that has begun. Does not wait. */
  prepare(): void
  /** Its files; or why there are none: they are being built, could not be, or are not part of this service. */
  files(): DashboardFiles | "building" | "failed" | "absent"
  close(): Promise<void>
}

/**
 * Creates the dashboard of a service. It is not built at the start of the service but when a browser first asks for it or
 * for the page that signs in: services of tests, of CI and in containers, which are most, never need it.
 */
export function createDashboard({ builtFolder, buildFolder, log }: DashboardOptions): Dashboard {
  const closing = new AbortController()
  let state: ReturnType<Dashboard["files"]> | "idle" = "idle"
  let work: Promise<void> = Promise.resolve()

  const open = async () => {
    if (builtFolder !== null) return readDashboardFiles(builtFolder)
    if (buildFolder === null) return "absent"
    return readDashboardFiles(await ensureBuilt(buildFolder, closing.signal))
  }
  const prepare = () => {
    if (state !== "idle") return
    state = "building"
    work = open().then(
      (files) => {
        state = files
      },
      (error: unknown) => {
        state = "failed"
        if (!closing.signal.aborted) log.error("the dashboard could not be built", { error })
      },
    )
  }
  return {
    prepare,
    files() {
      prepare()
      const now = state === "idle" ? "building" : state
      // The failure is told once; who asks again has it built again.
      if (now === "failed") state = "idle"
      return now
    },
    async close() {
      closing.abort()
      await work
    },
  }
}
