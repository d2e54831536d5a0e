/** The file beside an assembly that lists its bundles: a `FunctionBundle[]`. */
export const BUNDLES_LIST = "bundles.json"

/** The file of a zip that exports `handler`, a CommonJS module. */
export const FUNCTION_FILE = "index.js"

/** The code of a Lambda function: a zip with an `index.js` that exports `handler`. */
export interface FunctionBundle {
  /** Id of the endpoint that it serves, or name of a file of packages/hosts/api/src/lambda/functions: `webhook-worker`. */
  readonly functionName: string
  /** Absolute path of the zip. Equal sources give equal bytes, with one version of Node.js on one kind of processor. */
  readonly zipPath: string
  /** The handler that Lambda calls. */
  readonly handler: "index.handler"
  /** All files of the zip, unpacked. */
  readonly bytes: number
  /**
   * The files that its code comes from, also from libraries, as paths relative to the project's root with `/` between.
   */
  readonly sources: readonly string[]
}
