import { join } from "node:path"
import type { InlineConfig } from "vite"

/** Where the page is served, in every kind of deployment. */
const BASE_PATH = "/dashboard/"

/** Returns what building the page and serving it while it is changed have in common. @param apiPath see `BuildOptions` */
export function viteConfig(apiPath: string): InlineConfig {
  return {
    root: join(import.meta.dirname, "../.."),
    base: BASE_PATH,
    configFile: false,
    envDir: false,
    cacheDir: join(import.meta.dirname, "../../../../../node_modules/.cache/vite"),
    publicDir: false,
    define: { API_PATH: JSON.stringify(apiPath) },
    oxc: { jsx: { runtime: "automatic" } },
  }
}
