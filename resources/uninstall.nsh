; Removes what the app has put into the registry: its login items and the scheme of its links. The data stays.
; An update runs this uninstaller too, and must leave them in place.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey HKCU "Software\Classes\porchlight"
    StrCpy $R1 0
    ; Each data folder has a login item of its own, with a name that starts with "porchlight".
    ${Do}
      EnumRegValue $R0 HKCU "Software\Microsoft\Windows\CurrentVersion\Run" $R1
      ${If} $R0 == ""
        ${ExitDo}
      ${EndIf}
      StrCpy $R2 $R0 10
      StrCpy $R3 $R0 1 10
      ${If} $R2 == "porchlight"
      ${AndIf} $R3 == ""
        DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" $R0
        DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" $R0
      ${ElseIf} $R2 == "porchlight"
      ${AndIf} $R3 == "-"
        DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" $R0
        DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" $R0
      ${Else}
        IntOp $R1 $R1 + 1
      ${EndIf}
    ${Loop}
  ${endIf}
!macroend
