import { useState, type ClipboardEvent, type DragEvent, type ReactElement, type ReactNode } from 'react';

interface Props {
  /** The file types that the dialog offers, such as `image/*`. */
  readonly accept: string;
  /** The dialog's purpose, for screen readers. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly className?: string;
  /** Added to `className` while files hover over the element. */
  readonly overClassName?: string;
  readonly onFiles: (files: File[]) => void;
  /** `choose` opens the file dialog. */
  readonly children: (choose: () => void) => ReactNode;
}

/** Takes files that the owner chooses, drops or pastes. */
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
          // Without this, choosing a removed file again would fire no event.
          event.currentTarget.value = '';
        }}
      />
      {children(() => input?.click())}
    </div>
  );
}
