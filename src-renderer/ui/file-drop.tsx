import { useState, type ClipboardEvent, type DragEvent, type ReactElement, type ReactNode } from 'react';

interface Props {
  /** File types of the chooser, as `accept` has them: `image/*`. */
  readonly accept: string;
  /** What the chooser is for, in words. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly className?: string;
  /** Instead of or beside `className` while files hover over it. */
  readonly overClassName?: string;
  readonly onFiles: (files: File[]) => void;
  /** `choose` opens the chooser. */
  readonly children: (choose: () => void) => ReactNode;
}

/** A place that takes files however they come: chosen, dropped or pasted. */
export function FileDrop({
  accept,
  label,
  disabled = false,
  className = '',
  overClassName = '',
  onFiles,
  children,
}: Props): ReactElement {
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const [over, setOver] = useState(false);

  const take = (files: FileList | null, event?: DragEvent | ClipboardEvent) => {
    if (!files || files.length === 0) return;
    event?.preventDefault();
    if (!disabled) onFiles([...files]);
  };

  return (
    <div
      className={over ? `${className} ${overClassName}` : className}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(!disabled);
      }}
      onDragLeave={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
          setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        take(event.dataTransfer.files, event);
      }}
      onPaste={(event) => take(event.clipboardData.files, event)}
    >
      <input
        ref={setInput}
        type="file"
        hidden
        multiple
        accept={accept}
        aria-label={label}
        disabled={disabled}
        onChange={(event) => {
          take(event.currentTarget.files);
          // The same file may be chosen again after it was removed.
          event.currentTarget.value = '';
        }}
      />
      {children(() => input?.click())}
    </div>
  );
}
