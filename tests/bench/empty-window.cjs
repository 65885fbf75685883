// The baseline of the window: Electron with an empty window, shown once it is drawn, as Porchlight's is. The benchmark
// recognizes the windows of both by the title.
const { app, BrowserWindow } = require('electron');

void app.whenReady().then(() => {
  const window = new BrowserWindow({ show: false, width: 1100, height: 760 });
  window.once('ready-to-show', () => window.show());
  void window.loadURL('data:text/html,<title>An empty Porchlight</title><p>Empty');
});
process.once('SIGTERM', () => app.quit());
