/** A package of npm that holds Node.js, and where in it the program is. */
export interface NodePackage {
  readonly name: string
  readonly program: string
  /** What Linux starts the program by; null elsewhere. */
  readonly loader: string | null
}

export function nodePackageFor(platform: string, arch: string): NodePackage | null
export function startableNodePackage(
  machine: { readonly platform: string; readonly arch: string },
  exists?: (path: string) => boolean,
): NodePackage | null
export function runsTypeScript(version: string): boolean
export function ownNodeNeeded(version: string): string
