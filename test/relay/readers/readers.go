// What Go's readers of its standard library give an application.
//
// Reads lines of JSON and answers one line for each, what was read as a text:
//
//	["json", body in base64, path]               encoding/json
//	["xml", body in base64, path]                encoding/xml
//	["form", body in base64, name, Content-Type] net/http
//
// A path is a list of names, positions, "*" for any name, and "@name" for an attribute.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
)

// The type that an application would write down to read what is at a path.
func typeOf(format string, path []any) reflect.Type {
	if len(path) == 0 {
		if format == "xml" {
			return reflect.TypeFor[string]()
		}
		return reflect.TypeFor[any]()
	}
	inner := typeOf(format, path[1:])
	name, isName := path[0].(string)
	if !isName {
		return reflect.SliceOf(inner)
	}
	if name == "*" {
		return reflect.MapOf(reflect.TypeFor[string](), inner)
	}
	tag := name
	if bare, isAttribute := strings.CutPrefix(name, "@"); isAttribute {
		tag = bare + ",attr"
	}
	field := reflect.StructField{Name: "F", Type: inner, Tag: reflect.StructTag(fmt.Sprintf("%s:%q", format, tag))}
	return reflect.StructOf([]reflect.StructField{field})
}

// What is at a path of a value of that type.
func valueAt(value reflect.Value, path []any) string {
	if len(path) == 0 {
		return fmt.Sprint(value.Interface())
	}
	switch step := path[0].(type) {
	case float64:
		index := int(step)
		if index < 0 {
			index += value.Len()
		}
		if index < 0 || index >= value.Len() {
			return ""
		}
		return valueAt(value.Index(index), path[1:])
	case string:
		if step != "*" {
			return valueAt(value.Field(0), path[1:])
		}
		all := ""
		for _, key := range value.MapKeys() {
			all += valueAt(value.MapIndex(key), path[1:]) + " "
		}
		return all
	}
	return ""
}

func readDocument(format string, body []byte, path []any) (string, error) {
	// The root element of XML is the value itself.
	if format == "xml" {
		path = path[1:]
	}
	value := reflect.New(typeOf(format, path))
	unmarshal := json.Unmarshal
	if format == "xml" {
		unmarshal = xml.Unmarshal
	}
	if err := unmarshal(body, value.Interface()); err != nil {
		return "", err
	}
	return valueAt(value.Elem(), path), nil
}

func readForm(body []byte, name string, contentType string) (string, error) {
	request, err := http.NewRequest("POST", "/", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", contentType)
	if err := request.ParseMultipartForm(1 << 20); err != nil && err != http.ErrNotMultipart {
		return "", err
	}
	texts := append([]string{}, request.PostForm[name]...)
	if request.MultipartForm != nil {
		for _, header := range request.MultipartForm.File[name] {
			file, err := header.Open()
			if err != nil {
				return "", err
			}
			content, err := io.ReadAll(file)
			if err != nil {
				return "", err
			}
			texts = append(texts, string(content))
		}
	}
	return strings.Join(texts, " "), nil
}

func answer(line []byte) (string, error) {
	var task []any
	if err := json.Unmarshal(line, &task); err != nil {
		return "", err
	}
	body, err := base64.StdEncoding.DecodeString(task[1].(string))
	if err != nil {
		return "", err
	}
	if task[0] == "form" {
		return readForm(body, task[2].(string), task[3].(string))
	}
	return readDocument(task[0].(string), body, task[2].([]any))
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		text, err := answer(line)
		if err != nil {
			text = "refused"
		}
		encoded, _ := json.Marshal(text)
		fmt.Println(string(encoded))
	}
}
