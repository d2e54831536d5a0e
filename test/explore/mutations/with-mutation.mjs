// Loaded before a program: replaces one text of one file of the product while it is loaded. Files stay as they are.
import { registerHooks } from "node:module"

const { file, from, to } = JSON.parse(process.env.EXPLORED_MUTATION ?? "{}")

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(`/${file}`)) return loaded
    const source = String(loaded.source)
    if (source.split(from).length !== 2) throw new Error(`${file} does not have this text once: ${from}`)
    return { ...loaded, source: source.replace(from, () => to) }
  },
})
