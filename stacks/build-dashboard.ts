import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { DASHBOARD_API_PATH } from "./dashboard.ts"

/** Builds the dashboard's files for an API that is below the page's own origin, in a process of its own. */
export async function buildDashboard(folder: string): Promise<void> {
  const program = fileURLToPath(import.meta.resolve("@sealway/dashboard/build"))
  await promisify(execFile)(process.execPath, [program, folder, "--api-path", DASHBOARD_API_PATH], {
    env: { ...process.env, NODE_ENV: "production" },
  })
}
