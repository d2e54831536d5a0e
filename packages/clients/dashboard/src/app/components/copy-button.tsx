import { Button, CopyButton as Copying } from "@mantine/core"

/** Copies a text to the clipboard, and says so. */
export function CopyButton({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Copying value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy} aria-label={copied ? "Copied" : label}>
          {copied ? "Copied" : "Copy"}
        </Button>
      )}
    </Copying>
  )
}
