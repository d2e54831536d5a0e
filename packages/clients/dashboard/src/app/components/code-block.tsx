import { Box, Code } from "@mantine/core"
import classes from "./code-block.module.css"
import { CopyButton } from "./copy-button.tsx"

/** Code to read and to copy. @param label what it is, for screen readers: "curl command" */
export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }) {
  return (
    <Box className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className={classes.scroll}>
        <Code block className={classes.code}>
          {code}
        </Code>
      </section>
      <span className={classes.copy}>
        <CopyButton value={code} label={`Copy ${label}`} />
      </span>
    </Box>
  )
}
