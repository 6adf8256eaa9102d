//! The official Rust server of MCP with one tool that gives back what it is given: what the benchmark measures the service
//! beside. Without sessions, with JSON answers. Argument: the port on 127.0.0.1.

use rmcp::{
    ServerHandler,
    handler::server::wrapper::Parameters,
    tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct EchoRequest {
    text: String,
}

#[derive(Clone)]
struct Echo;

#[tool_router]
impl Echo {
    #[tool(description = "Gives back the text.")]
    fn echo(&self, Parameters(EchoRequest { text }): Parameters<EchoRequest>) -> String {
        text
    }
}

#[tool_handler]
impl ServerHandler for Echo {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).ok_or("a port is missing")?;
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service = StreamableHttpService::new(|| Ok(Echo), LocalSessionManager::default().into(), config);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    Ok(axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?)
}
