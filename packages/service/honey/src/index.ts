export type { HoneyDependencies } from "./dependencies.ts"
export { honeyEndpoints } from "./endpoints/index.ts"
export { noteTouches, type TouchDependencies } from "./touches/note-touches.ts"
