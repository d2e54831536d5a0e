import type * as cloudformation from "@pulumi/aws/cloudformation/index.js"
import type * as s3 from "@pulumi/aws/s3/index.js"
import type * as pulumi from "@pulumi/pulumi"

/**
 * Declares what SST makes available to `sst.config.ts` and its imports, as far as it is used here. SST writes complete
 * types to `.sst/platform` when it runs; these exist before.
 */
declare global {
  /** The result of `app()`. Source: https://sst.dev/docs/reference/config */
  interface SstApp {
    readonly name: string
    /** Where SST stores its state. */
    readonly home: "aws"
    /** The version of SST that this is written for. */
    readonly version: string
    /** What happens to resources that are no longer wanted, and to all of them at `sst remove`. */
    readonly removal: "remove" | "retain"
    /** Whether `sst remove` is refused. */
    readonly protect: boolean
    readonly providers: { readonly aws: { readonly version: string; readonly region: string } }
  }

  interface SstConfig {
    app(input: { readonly stage: string }): Promise<SstApp>
    /** @returns what is printed at the end, and written to `.sst/outputs.json` */
    run(): Promise<Record<string, pulumi.Input<string>>>
  }

  function $config(config: SstConfig): SstConfig
  const $app: { readonly name: string; readonly stage: string }
  const $util: typeof pulumi
  const $interpolate: typeof pulumi.interpolate
  const aws: { readonly s3: typeof s3; readonly cloudformation: typeof cloudformation }
}
