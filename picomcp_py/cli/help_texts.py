"""What `picomcp-py --help` and the help of each verb say."""

EXIT_CODES = """exit codes:
  0  it worked
  1  the tool was called and reports an error
  2  the command line, or the file that it names, can't be used
  3  the server can't be reached, ended, or answered with a protocol error
"""
EXAMPLES = """examples:
  picomcp-py run server.py                                       serve it on stdin and stdout
  picomcp-py run server.py --port 3000                           serve it over HTTP
  picomcp-py list server.py                                      what does it have?
  picomcp-py call server.py forecast '{"city": "Lyon"}'          call a tool
  picomcp-py call forecast --arg city=Lyon -- npx -y weather     the same of any MCP server
  picomcp-py read server.py note://today                         read a resource
  picomcp-py prompt server.py summary --arg style=short          get a prompt
  picomcp-py list http://localhost:3000/mcp                      and of one that is running
"""
RUN = """Serve a Python file's server on stdin and stdout, or with --port over HTTP, at /mcp.

FILE is imported. Served is what its serve() hands over, or else the variable server, app or mcp, or its only Server;
FILE:name says which, and name may be a function that makes one. What the file prints while it is imported goes to
stderr. Options that serve() was given count, unless they are said here. HTTP needs the extra: picomcp-py[http].
"""
RUN_EXAMPLES = """examples:
  picomcp-py run server.py
  picomcp-py run server.py:make_server
  picomcp-py run server.py --port 3000
"""
LIST = """List what a server has: tools, resources, templates of resources, and prompts. FILE is a Python file with a
server, see `picomcp-py run --help`; any other server is a command after --. It is started for this, with the
environment of the shell, and ended. A server that is running already is named by its URL, for which the extra
picomcp-py[client] is needed.

With --json: an object with the lists tools, resources, resourceTemplates and prompts, as the server describes them.
"""
LIST_EXAMPLES = """examples:
  picomcp-py list server.py
  picomcp-py list --json server.py
  picomcp-py list --revision handshake -- npx -y weather
  picomcp-py list http://localhost:3000/mcp --header "Authorization: Bearer $TOKEN"
"""
CALL = """Call a tool and print its result. The arguments are a JSON object, given as text or, with -, on stdin. FILE is
a Python file with a server, see `picomcp-py run --help`; any other server is a command after --, or the URL of one that
is running.

The result goes to stdout; progress, log messages and errors go to stderr.
"""
CALL_EXAMPLES = """examples:
  picomcp-py call server.py forecast '{"city": "Lyon"}'
  picomcp-py call server.py forecast --arg city=Lyon
  picomcp-py call server.py forecast - < arguments.json
  picomcp-py call forecast '{"city": "Lyon"}' -- npx -y weather
  picomcp-py call http://localhost:3000/mcp forecast '{"city": "Lyon"}'
"""
READ = """Read a resource. The URI is one of those that `list` shows, or one that a template there matches. FILE is a
Python file with a server, see `picomcp-py run --help`; any other server is a command after --, or the URL of one that
is running.

A pipe or a file gets what the resource holds, byte for byte; text is UTF-8, and several contents follow one another
(--json tells them apart). A terminal gets the text; of anything else it is told the MIME type and the size.
"""
READ_EXAMPLES = """examples:
  picomcp-py read server.py note://today
  picomcp-py read server.py chart://sales > sales.png
  picomcp-py read note://today -- npx -y notes
  picomcp-py read http://localhost:3000/mcp note://today
"""
PROMPT = """Get a prompt and print its messages. The arguments, all of them strings, are a JSON object, given as text
or, with -, on stdin. FILE is a Python file with a server, see `picomcp-py run --help`; any other server is a command
after --, or the URL of one that is running.
"""
PROMPT_EXAMPLES = """examples:
  picomcp-py prompt server.py summary '{"style": "short"}'
  picomcp-py prompt server.py summary --arg style=short
  picomcp-py prompt summary --arg style=short -- npx -y notes
  picomcp-py prompt http://localhost:3000/mcp summary --json
"""
