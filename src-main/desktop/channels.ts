/** The IPC channels between the window and the main process. */
export const callChannel = 'porchlight:call';
export const eventChannel = 'porchlight:event';
export const closeChannel = 'porchlight:close';
export const restChannel = 'porchlight:rest';
export const signalChannel = 'porchlight:signal';
