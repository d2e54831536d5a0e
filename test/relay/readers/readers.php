<?php
// What PHP gives an application. Reads lines of JSON and answers one line for each, what was read as a text:
//
//   ["form", body in base64, name]   $_POST, of urlencoded bodies
//   ["xml", body in base64, path]    xml_parse_into_struct, which writes names in capital letters; null without the extension

function read_xml(string $body, array $path): ?string
{
    if (!function_exists("xml_parse_into_struct")) return null;
    $parser = xml_parser_create();
    if (xml_parse_into_struct($parser, $body, $values) !== 1) return "refused";
    $wanted = array_map(fn($name) => strtoupper(ltrim($name, "@")), $path);
    $open = [];
    $found = "";
    foreach ($values as $value) {
        if ($value["type"] === "cdata") continue;
        $open = array_slice($open, 0, $value["level"] - 1);
        $open[] = $value["tag"];
        if ($open === $wanted) $found .= ($value["value"] ?? "") . " ";
    }
    return $found;
}

while (($line = fgets(STDIN)) !== false) {
    [$format, $encoded, $name] = json_decode($line);
    $body = base64_decode($encoded);
    if ($format === "xml") {
        $text = read_xml($body, $name);
    } else {
        parse_str($body, $fields);
        $text = json_encode($fields[$name] ?? null, JSON_INVALID_UTF8_SUBSTITUTE);
    }
    echo json_encode($text, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
