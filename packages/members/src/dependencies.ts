import type { Platform } from "@sealway/platform"

/** The dependencies of members' endpoints. */
export type MemberDependencies = Pick<
  Platform,
  "configTable" | "eventsTable" | "directory" | "audit" | "draws" | "wallClock" | "signIn"
>
