import { Badge } from "@mantine/core"

const COLORS: Readonly<Record<string, string>> = {
  active: "green",
  success: "green",
  resolved: "green",
  ready: "green",
  failed: "red",
  failure: "red",
  invalid: "red",
  blocked: "red",
  expired: "red",
  erased: "red",
  pending: "yellow",
  open: "yellow",
  suspended: "yellow",
  "action-required": "yellow",
  importing: "yellow",
  uploading: "yellow",
}

/** The status of a record, such as a card, an enrolment, a file or a data subject. */
export function Status({ status }: { readonly status: string }) {
  return (
    <Badge variant="light" tt="none" color={COLORS[status] ?? "gray"}>
      {status}
    </Badge>
  )
}
