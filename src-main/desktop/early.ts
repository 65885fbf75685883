import { registerAppScheme } from './app-scheme.ts';
import { lockDown } from './lock-down.ts';
import { closeDebugging } from './no-debugging.ts';

// What Electron takes only before it is ready. Built as a CommonJS file of its own (out/main/early.cjs) that desktop.ts
// requires first: a launcher that starts ES modules too late can load it with --require, and it still runs once.
closeDebugging();
registerAppScheme();
lockDown();
