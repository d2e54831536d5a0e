# What Ruby's readers give an application: Hash.from_xml of ActiveSupport (Rails), and Rack.
#
# Reads lines of JSON and answers one line for each, what was read as a text, or null where the reader is not installed:
#
#   ["xml", body in base64, path]                 ActiveSupport
#   ["form", body in base64, name, Content-Type]  Rack
#
# A path is a list of names and positions. An attribute is named like an element, with "@" in front.

require "base64"
require "json"
require "stringio"

def installed?(name)
  require name
  true
rescue LoadError
  false
end

RAILS = installed?("active_support") && installed?("active_support/core_ext/hash/conversions")
RACK = installed?("rack")

def read_xml(body, path)
  path.reduce(Hash.from_xml(body)) do |value, step|
    next value[step] if value.is_a?(Array) && step.is_a?(Integer)
    next (step == 0 || step == -1 ? value : nil) if step.is_a?(Integer)

    name = step.delete_prefix("@").tr("-", "_")
    found = value.is_a?(Array) ? value.filter_map { |each| each[name] if each.is_a?(Hash) } : value&.[](name)
    found
  end
end

def read_form(body, name, content_type)
  environment = {
    "REQUEST_METHOD" => "POST",
    "CONTENT_TYPE" => content_type,
    "CONTENT_LENGTH" => body.bytesize.to_s,
    "QUERY_STRING" => "",
    "rack.input" => StringIO.new(body),
  }
  value = Rack::Request.new(environment).POST[name]
  value.is_a?(Hash) && value[:tempfile] ? value[:tempfile].read : value
end

$stdout.sync = true
$stdin.each_line do |line|
  format, encoded, *rest = JSON.parse(line)
  body = Base64.decode64(encoded)
  text =
    begin
      if format == "xml" then RAILS ? read_xml(body.force_encoding("UTF-8"), *rest).to_json : nil
      else RACK ? read_form(body, *rest).inspect : nil
      end
    rescue StandardError
      "refused"
    end
  puts JSON.generate(text)
end
