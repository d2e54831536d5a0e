/** A package of npm that contains Node.js, and the path of the program in it. */
export interface NodePackage {
  readonly name: string
  readonly program: string
  /** The loader that Linux starts the program with; null elsewhere. */
  readonly loader: string | null
}

export function nodePackageFor(platform: string, arch: string): NodePackage | null
export function startableNodePackage(
  machine: { readonly platform: string; readonly arch: string },
  exists?: (path: string) => boolean,
): NodePackage | null
export function runsTypeScript(version: string): boolean
export function ownNodeNeeded(version: string): string
