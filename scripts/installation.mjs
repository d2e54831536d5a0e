// The packages that the project is installed with. Plain JavaScript, as `run.mjs`, which uses it before anything is
// installed.
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"

/** A service notes here that it runs from an installation: by a file named by its process id. */
const RUNNING = join("node_modules", ".cache", "running")

/**
 * Returns true when node_modules has every needed package of the lockfile, at its version, and leads to the project's own
 * packages where they are.
 *
 * @param isProduct whether packages only for development are not needed
 * @param neededPackage a package that is needed though it is optional, since not every machine can use it; null: none
 */
export function isInstalled(root, { isProduct, neededPackage }) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages
    const present = JSON.parse(
      readFileSync(join(root, "node_modules", ".package-lock.json"), "utf8"),
    ).packages
    return Object.entries(wanted).every(
      ([path, { version, optional, dev, devOptional, link, resolved }]) =>
        path === "" ||
        (isProduct && (dev || devOptional)) ||
        isOwn(path) ||
        (optional && !present[path] && path !== `node_modules/${neededPackage}`) ||
        (link
          ? !isOwn(resolved) || present[path]?.resolved === resolved
          : present[path]?.version === version),
    )
  } catch {
    return false
  }
}

/**
 * Installs what the lockfile requires, and only then replaces what was installed before: when no registry answers, or
 * when it is interrupted, everything stays unchanged.
 *
 * @returns null when it is done, or a sentence that says why not
 */
export function install(root, isProduct) {
  const running = processesOf(root)
  if (running.length > 0) {
    return `A service (process ${running.join(", ")}) is running from this installation, but the packages must be updated. Stop the service and try again.`
  }
  const aside = mkdtempSync(join(root, ".installing-"))
  try {
    for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
      if (existsSync(join(root, file))) cpSync(join(root, file), join(aside, file))
    }
    const packages = ownPackagesOf(root)
    for (const folder of packages) copyManifest(join(root, folder), join(aside, folder))
    if (runNpm(aside, isProduct) !== 0) {
      return "The dependencies could not be installed. See npm's output above. The previous installation is unchanged."
    }
    for (const folder of [".", ...packages]) {
      swap(join(aside, folder, "node_modules"), join(root, folder, "node_modules"))
    }
    return null
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** Whether a path is that of a package of the product. There is another one, for tests in other runtimes. */
function isOwn(path) {
  return path.startsWith("packages/")
}

/** Returns the folders of the product's packages: `packages/core/kernel`. */
function ownPackagesOf(root) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
  return Object.values(packages).flatMap(({ link, resolved }) => (link && isOwn(resolved) ? [resolved] : []))
}

/** Copies what npm reads of a package of the project: its manifest, and the commands that it links to. */
function copyManifest(from, to) {
  const { bin = {} } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"))
  for (const file of ["package.json", ...Object.values(bin)]) cpSync(join(from, file), join(to, file))
}

function runNpm(folder, isProduct) {
  const npm = process.env.npm_execpath
  const extent = isProduct ? "--omit=dev" : "--include=dev"
  const command = ["ci", extent, "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"]
  // Standard output belongs to the script (`npm start -- --json` prints one line for programs to read).
  const options = { cwd: folder, stdio: ["ignore", 2, "inherit"] }
  const { status } = npm
    ? spawnSync(process.execPath, [npm, ...command], options)
    : spawnSync("npm", command, { ...options, shell: process.platform === "win32" })
  return status
}

/**
 * Replaces a folder by a new one, or by none, and deletes the old one together with the place the new one came from.
 */
function swap(made, place) {
  if (existsSync(place)) renameSync(place, `${made}.before`)
  if (existsSync(made)) renameSync(made, place)
}

/** Notes that this process serves from an installation, until it ends. */
export function noteRunning(root) {
  try {
    mkdirSync(join(root, RUNNING), { recursive: true })
    processesOf(root)
    const note = join(root, RUNNING, String(process.pid))
    writeFileSync(note, "")
    process.once("exit", () => rmSync(note, { force: true }))
  } catch {
    // An installation that cannot be written to cannot be replaced either.
  }
}

/** Returns the live processes that serve from an installation. Deletes the notes of others, which were killed. */
function processesOf(root) {
  const folder = join(root, RUNNING)
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => {
    try {
      process.kill(Number(name), 0)
      return true
    } catch (error) {
      const lives = error.code === "EPERM"
      if (!lives) rmSync(join(folder, name), { force: true })
      return lives
    }
  })
}
