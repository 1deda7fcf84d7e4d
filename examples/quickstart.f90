! Which element of each column is largest: arrays in memory, the device thought fastest.
program quickstart
  use argmax_cl, only: maxloc_cl, minloc_cl
  implicit none
  real :: values(4, 3)
  values = reshape([1., 7., 3., 7., -5., -2., -9., -4., 0., 0., 0., 8.], [4, 3])
  print '(a, 3i2)', 'largest in each column:', maxloc_cl(values, dim=1)
  print '(a, 3i2)', 'the last of equal ones:', maxloc_cl(values, dim=1, back=.true.)
  print '(a, 2i2)', 'smallest of all:       ', minloc_cl(values)
end program
