export {
  type Answer,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
} from "../egress/testing/receiver.ts"
export { withoutLaterWrites } from "./without-later-writes.ts"
