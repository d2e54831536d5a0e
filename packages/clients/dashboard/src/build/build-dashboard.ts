import { build } from "vite"
import { viteConfig } from "./vite-config.ts"

export interface BuildOptions {
  /** Is replaced. */
  readonly folder: string
  /** Where the API is below the page's origin, such as `/api`. Default: empty. */
  readonly apiPath?: string
}

/** Builds the page: `index.html`, and below `assets/` files whose names contain the hash of their content. */
export async function buildDashboard({ folder, apiPath = "" }: BuildOptions): Promise<void> {
  await build({
    ...viteConfig(apiPath),
    mode: "production",
    logLevel: "error",
    build: {
      outDir: folder,
      emptyOutDir: true,
      // A data: URL would need its own permission in the Content-Security-Policy.
      assetsInlineLimit: 0,
      // The polyfill would be an inline script; browsers of the last years preload modules themselves.
      modulePreload: { polyfill: false },
      target: "es2023",
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1_000,
    },
  })
}
