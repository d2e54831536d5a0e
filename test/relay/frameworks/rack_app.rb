# Rack, on which Rails and Sinatra are built: prints its port, and answers what an application reads from a request to
# `POST /pay` or `PUT /cards`.

require 'json'
require 'rack'
require 'webrick'

READ = lambda do |env|
  request = Rack::Request.new(env)
  route = "#{request.request_method} #{request.path_info}"
  unless ['POST /pay', 'PUT /cards'].include?(route)
    next [404, { 'content-type' => 'application/json' }, [JSON.generate(route: route)]]
  end

  params = request.params
  request.body.rewind
  json = begin
    # It skips comments.
    JSON.parse(request.body.read)
  rescue JSON::ParserError
    nil
  end
  [200, { 'content-type' => 'application/json' }, [JSON.generate(params: params, json: json)]]
end

options = { Host: '127.0.0.1', Port: 0, AccessLog: [], Logger: WEBrick::Log.new(IO::NULL) }
Rack::Handler::WEBrick.run(Rack::MethodOverride.new(READ), **options) do |server|
  puts server.listeners.first.addr[1]
  $stdout.flush
end
