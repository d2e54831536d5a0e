import { realpathSync } from "node:fs"
import { dirname, sep } from "node:path"

/**
 * What programs need from a Linux machine: shared libraries, names, certificates, time zones. Never keys, so
 * /etc/ssl/private is left out.
 */
const SYSTEM_FILES = [
  "/lib",
  "/lib64",
  "/usr/lib",
  "/usr/lib64",
  "/usr/share/zoneinfo",
  "/usr/share/ca-certificates",
  "/usr/local/share/ca-certificates",
  "/etc/ca-certificates",
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/tls/cert.pem",
  "/etc/pki/ca-trust/extracted",
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/host.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/protocols",
  "/etc/localtime",
  "/etc/timezone",
  "/etc/mime.types",
  "/etc/ld.so.cache",
]

/** Not /dev/zero: mapped, it is memory that no process is charged for. */
export const DEVICES = ["/dev/null", "/dev/urandom", "/dev/random"]

/** What a function may read: files and folders that are not links, and the links that lead to them. */
export interface ReadableFiles {
  readonly files: readonly string[]
  readonly links: readonly { readonly path: string; readonly target: string }[]
}

/**
 * Lists the existing files of the machine and of `paths`, each once, without those in a listed folder.
 *
 * @param except files of the machine that are left out. Default: none
 */
export function readableFiles(paths: readonly string[], except: readonly string[] = []): ReadableFiles {
  const files = new Set<string>()
  const links = new Map<string, string>()
  for (const path of [...SYSTEM_FILES.filter((each) => !except.includes(each)), ...paths]) {
    const target = realPath(path)
    if (target === null || target === sep) continue
    files.add(target)
    if (target !== path) links.set(path, target)
  }
  const covered = new Set([...files, ...links.keys()])
  const isCovered = (path: string) => ancestorsOf(path).some((each) => covered.has(each))
  return {
    files: [...files].filter((path) => !isCovered(path)),
    links: [...links].flatMap(([path, target]) => (isCovered(path) ? [] : [{ path, target }])),
  }
}

function ancestorsOf(path: string): string[] {
  const ancestors: string[] = []
  for (let each = dirname(path); each !== sep; each = dirname(each)) ancestors.push(each)
  return ancestors
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
