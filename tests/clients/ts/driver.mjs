// Drives one server with the official TypeScript client, over stdio or HTTP, and prints what came of it as JSON.
//
// Reads {command, args, cwd} or {url}, and {era: "handshake" | "stateless", steps} on stdin. The steps and what is printed
// are described in ../drivers.py, which does the same with the Python client.
import { text } from "node:stream/consumers";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

const { command, args, cwd, url, era, steps } = JSON.parse(await text(process.stdin));
const mode = era === "stateless" ? { pin: "2026-07-28" } : "legacy";
const client = new Client({ name: "typescript", version: "1" }, { versionNegotiation: { mode } });
const logs = [];
client.setNotificationHandler("notifications/message", ({ params }) => {
  logs.push({ level: params.level, data: params.data });
});
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command, args, cwd });
await client.connect(transport);
if (era === "handshake") {
  await client.setLoggingLevel("info");
}

async function call({ name, arguments: input, at_progress: action }) {
  const progress = [];
  const others = [];
  const controller = new AbortController();
  const params = { name, arguments: input };
  if (era === "stateless") {
    params._meta = { [LOG_LEVEL]: "info" };
  }
  const options = {
    signal: controller.signal,
    onprogress: (one) => {
      progress.push({ progress: one.progress, total: one.total ?? null, message: one.message ?? null });
      if (action === "cancel") {
        controller.abort("enough");
      } else if (action) {
        others.push(client.callTool({ name: action, arguments: {} }));
      }
    },
  };
  try {
    const result = await client.callTool(params, options);
    await Promise.all(others);
    return { result, progress };
  } catch (error) {
    if (controller.signal.aborted) {
      return { cancelled: true, progress };
    }
    if (typeof error.code !== "number") {
      throw error;
    }
    return { error: { code: error.code, message: error.message }, progress };
  }
}

const outcomes = [];
for (const step of steps) {
  outcomes.push(step.do === "list" ? { tools: (await client.listTools()).tools } : await call(step));
}
const revision = client.getNegotiatedProtocolVersion();
const server = client.getServerVersion();
if (url && era === "handshake") {
  await transport.terminateSession();
}
await client.close();
console.log(JSON.stringify({ revision, server, outcomes, logs }));
