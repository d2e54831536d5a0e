export { withoutLaterWrites } from "./without-later-writes.ts"
