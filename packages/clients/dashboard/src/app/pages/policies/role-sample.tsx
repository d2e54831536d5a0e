import { Code, Stack, Table, Text, Title } from "@mantine/core"
import { applyMask, type Mask } from "@sealway/kernel/masks"

/** A value that fits each mask. */
const SAMPLES: Readonly<Record<Mask["type"], string>> = {
  last: "4242424242424242",
  "first-last": "4242424242424242",
  email: "ada@example.com",
  name: "Ada Lovelace",
  date: "1985-04-12",
  phone: "+44 20 7946 0958",
  ip: "203.0.113.7",
  fixed: "anything",
  pattern: "",
}

/** Shows a made-up value of a role as each reader sees it. */
export function RoleSample({ mask }: { readonly mask: Mask }) {
  const value = mask.type === "pattern" ? mask.pattern.replace(/[#*]/g, "7") : SAMPLES[mask.type]
  return (
    <Stack component="section" gap="sm" aria-labelledby="sample">
      <Title order={2} size="h4" id="sample">
        What readers see
      </Title>
      <Table>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row">Permitted</Table.Th>
            <Table.Td>
              <Code>{value}</Code>
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row">Permitted, masked</Table.Th>
            <Table.Td>
              <Code>{applyMask(mask, value)}</Code>
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed">
        A value that does not fit the mask is shown as •••.
      </Text>
    </Stack>
  )
}
