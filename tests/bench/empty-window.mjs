// The baseline of the window: Electron with an empty window, shown once it is drawn, as Porchlight's is, or never, with
// `--hidden`. The benchmark
// recognizes the windows of both by the title.
import { app, BrowserWindow } from 'electron';

process.once('SIGTERM', () => app.quit());
await app.whenReady();
const window = new BrowserWindow({ show: false });
if (!process.argv.includes('--hidden')) window.once('ready-to-show', () => window.show());
void window.loadURL('data:text/html,<title>An empty Porchlight</title><p>Empty');
