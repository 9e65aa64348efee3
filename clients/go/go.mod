module nexusfix

go 1.22
